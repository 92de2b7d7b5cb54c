"""Privacy models: what every published equivalence class has to meet."""
