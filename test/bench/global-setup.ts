import type { TestProject } from "vitest/node";
import { serveDatabases } from "../support/global-setup.ts";

/** The embedded PostgreSQL with the product's settings: commits are on disk. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return serveDatabases(project, {});
}
