"""The `sietch` command: composition only. Each group of commands is one file here; main.py lists them."""
