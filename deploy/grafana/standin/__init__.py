"""A stand-in for Grafana where it cannot be pulled: it draws our dashboards' own queries, and nothing else."""
