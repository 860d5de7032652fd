"""The nine phases of a turn and the setup, as flows that name no faction."""
