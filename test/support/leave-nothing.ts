import { afterAll } from "vitest";
import { endWhatRuns } from "./homesec-process.ts";
import { removeWhatIsLeft } from "./temporary.ts";

// Runs with each test file: what a test that failed did not end or remove is ended and removed, so that the next ones have the machine to themselves.
afterAll(async () => {
  await endWhatRuns();
  await removeWhatIsLeft();
});
