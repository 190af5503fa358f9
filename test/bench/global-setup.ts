import type { TestProject } from "vitest/node";
import { serveDatabases } from "../support/global-setup.ts";

/** The embedded PostgreSQL as the product runs it: what is committed is on the disk. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return serveDatabases(project, {});
}
