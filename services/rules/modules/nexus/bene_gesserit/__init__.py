"""The Bene Gesserit Nexus card: advisors become fighters, a borrowed Voice, a Voice stopped. [NEXUS-BG]"""
