"""Sites compute models and summaries together, and no row leaves a site. See docs/federated.md."""
