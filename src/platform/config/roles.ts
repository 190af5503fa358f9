/**
 * The tasks of a daemon, for homes that spread them over several daemons: each role is a group of workers. Usually one daemon has all
 * roles.
 */
export const roleNames = ["api", "receive", "watch", "detect", "analyze", "alert", "deliver", "maintain"] as const;
export type Role = (typeof roleNames)[number];

/** The word for all roles. */
export const everyRole = "all";

/** Returns the roles that a daemon does not have. */
export function missingRoles(roles: readonly Role[]): readonly Role[] {
  return roleNames.filter((role) => !roles.includes(role));
}

/** Formats roles: `all`, or separated by commas. */
export function formatRoles(roles: readonly Role[]): string {
  return missingRoles(roles).length === 0 ? everyRole : roles.join(", ");
}
