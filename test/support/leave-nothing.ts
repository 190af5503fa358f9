import { afterAll } from "vitest";
import { endWhatRuns } from "./homesec-process.ts";
import { removeWhatIsLeft } from "./temporary.ts";

// Runs with each test file: stops and removes what a failed test left behind, so that the next tests have the machine to themselves.
afterAll(async () => {
  await endWhatRuns();
  await removeWhatIsLeft();
});
