/**
 * What a daemon can do, for homes that spread the work over several: each role is a group of workers. One daemon with all of
 * them is the usual case.
 */
export const roleNames = ["api", "watch", "detect", "analyze", "alert", "deliver", "maintain"] as const;
export type Role = (typeof roleNames)[number];

/** The word for all roles. */
export const everyRole = "all";

/** The roles that a daemon does not have. */
export function rolesLeftOut(roles: readonly Role[]): readonly Role[] {
  return roleNames.filter((role) => !roles.includes(role));
}

/** Roles as they are written: `all`, or with commas. */
export function rolesText(roles: readonly Role[]): string {
  return rolesLeftOut(roles).length === 0 ? everyRole : roles.join(", ");
}
