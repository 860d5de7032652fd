"""The pipeline of the image: build it once, verify that very image in isolation, publish that very digest.

    python -m deploy.pipeline build | verify | publish | check | rehearse

Each stage leaves a small record (`build.json`, `verified.json`, `published.json`) that names the digest; a stage
believes the one before it only as far as its record and what lies beside it agree. See docs/pipeline.md.
"""
