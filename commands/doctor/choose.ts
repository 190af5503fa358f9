import type { Check } from "../../src/admin/doctor/check.ts";
import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";

/** The checks that --only and --skip leave. Throws `Problem("invalid")` for an id that no check has, and when none is left. */
export async function chooseChecks(only: readonly string[] | undefined, skip: readonly string[] = []): Promise<readonly Check[]> {
  const { checks } = await import("../../src/admin/doctor/checks.ts");
  const ids = checks.map(({ id }) => id);
  const unknown = [...(only ?? []), ...skip].filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    const guesses = unknown.map((id) => {
      const meant = nearest(id, ids);
      return meant === undefined ? id : `${id} (did you mean ${meant}?)`;
    });
    throw new Problem("invalid", `there is no check ${guesses.join(", ")}; there are ${ids.join(", ")}`);
  }
  const chosen = checks.filter(({ id }) => (only?.includes(id) ?? true) && !skip.includes(id));
  if (chosen.length === 0) throw new Problem("invalid", "--only and --skip leave no check");
  return chosen;
}
