"""The Nexus card of Richese: five forces shipped at the price of one. [NEXUS-RICH-01]"""
