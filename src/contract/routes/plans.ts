import type { RoutePlan } from "../plan.ts";
import type { OperationId } from "./index.ts";

/**
 * The plan of an operation, if it has one. The build puts all plans in the place of this module, so that a command needs no schema to make
 * them (`bin/vite.config.ts`).
 */
export async function planOf(operation: OperationId): Promise<RoutePlan | undefined> {
  const [{ loadRoute }, { makePlan }] = await Promise.all([import("./load-route.ts"), import("./make-plan.ts")]);
  return makePlan(await loadRoute(operation));
}
