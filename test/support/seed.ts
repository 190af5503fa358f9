import fc from "fast-check";

// Runs before each test file: properties are held against new inputs each time; with TEST_SEED against the same, as fuzz and chaos do then.
const seed = process.env["TEST_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
