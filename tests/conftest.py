"""What every test folder shares: the Hypothesis profiles.

`dev` is the default: quick, new examples each run. `ci` (chosen where CI is set) derives its examples from the test
itself, so a build that is green stays green until somebody changes something; it prints how to repeat a failure.
`deep` is for a long look by hand: `HYPOTHESIS_PROFILE=deep make test TESTS=tests/rules`. None has a deadline: nothing
in the suite is timed.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # a loaded machine is no fault of the test
)
settings.register_profile("deep", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))
