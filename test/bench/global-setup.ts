import type { TestProject } from "vitest/node";
import { serveDatabases } from "../support/global-setup.ts";

/** The embedded PostgreSQL with the product's settings: commits are on disk. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { tellTo, stop } = await serveDatabases({});
  tellTo(project);
  return stop;
}
