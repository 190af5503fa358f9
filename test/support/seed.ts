import fc from "fast-check";

// Runs before each test file: properties get new inputs each time, or with TEST_SEED the same, like fuzz and chaos.
const seed = process.env["TEST_SEED"];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
