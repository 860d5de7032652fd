"""How a service of Sietch is run: settings, logs, metrics, traces, health, and a graceful end."""
