"""Imported first of all by each service: nothing that is loaded is garbage, so none is looked for meanwhile.

That saves a tenth of the time that a process takes to begin. `shared.ops.service.run` ends it.
"""

import gc

gc.disable()
