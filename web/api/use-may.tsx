import { createContext, type ReactNode, useContext } from "react";
import { type KeyRole, keyRoles } from "../../src/contract/constants.ts";

/** What this client may do. While homesec asks for no keys, everyone is an owner. */
export const Role = createContext<KeyRole>("owner");

/** A role in the order of rights: an owner has the rights of a resident, who has those of a guest. */
function rankOf(role: KeyRole): number {
  return keyRoles.length - keyRoles.indexOf(role);
}

/** Whether this client may do what needs a role, so that no one sees a button that homesec would refuse. */
export function useMay(needed: KeyRole): boolean {
  const role = useContext(Role);
  return rankOf(role) >= rankOf(needed);
}

/** The part of a page that needs a role. */
export function For({ who, children }: { readonly who: "owner" | "resident"; readonly children: ReactNode }): ReactNode {
  return useMay(who) ? children : null;
}

const guestName = "homesec-guest";

/** Whether a guest used this browser last: it must not be asked for what guests may not see. */
export function wasGuest(): boolean {
  return localStorage.getItem(guestName) !== null;
}

/** Remembers whether a guest uses this browser. */
export function rememberRole(role: KeyRole | null): void {
  if (role === "guest") localStorage.setItem(guestName, "yes");
  else localStorage.removeItem(guestName);
}
