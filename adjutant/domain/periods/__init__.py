"""DOMAIN. Days, weeks and months: what a period holds, chosen from its sources, each line with where it comes from."""
