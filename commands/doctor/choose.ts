import type { Check } from "../../src/admin/doctor/check.ts";
import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";

/** Returns the checks that --only and --skip select. Throws `Problem("invalid")` for an unknown id, and when no check is left. */
export async function chooseChecks(only: readonly string[] | undefined, skip: readonly string[] = []): Promise<readonly Check[]> {
  const { checks } = await import("../../src/admin/doctor/checks.ts");
  const ids = checks.map(({ id }) => id);
  const unknown = [...(only ?? []), ...skip].filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    const guesses = unknown.map((id) => {
      const now = checks.find(({ replaces }) => replaces?.includes(id));
      if (now) return `${id} (covered by ${now.id})`;
      const meant = nearest(id, ids);
      return meant === undefined ? id : `${id} (did you mean ${meant}?)`;
    });
    throw new Problem("invalid", `there is no check ${guesses.join(", ")}; there are ${ids.join(", ")}`);
  }
  const chosen = checks.filter(({ id }) => (only?.includes(id) ?? true) && !skip.includes(id));
  if (chosen.length === 0) throw new Problem("invalid", "--only and --skip leave no check");
  return chosen;
}
