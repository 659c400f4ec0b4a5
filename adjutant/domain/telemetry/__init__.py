"""DOMAIN. What a run did, as spans in OpenTelemetry's data model."""
