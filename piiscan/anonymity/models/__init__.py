"""Privacy models: the conditions that every published equivalence class has to meet."""
