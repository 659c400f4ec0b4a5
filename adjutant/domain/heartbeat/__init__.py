"""DOMAIN. The heartbeat: journal, insights, ledger, notices."""
