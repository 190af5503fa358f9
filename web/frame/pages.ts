import {
  Activity,
  Bell,
  BellOff,
  CalendarDays,
  Camera,
  ChartColumn,
  House,
  Inbox,
  ListChecks,
  type LucideIcon,
  Search,
  Settings,
  Users,
} from "lucide-react";
import type { PagePath } from "../../src/contract/pages.ts";
import type { Texts } from "../texts/en.ts";

/** An entry of the navigation. */
export interface NavEntry {
  readonly path: PagePath;
  readonly text: Exclude<keyof Texts["nav"], "skip" | "main" | "more">;
  readonly icon: LucideIcon;
  /** The least role that the page is for; without it, everyone's. */
  readonly role?: "owner" | "resident";
}

/** The pages in the order of the navigation. On a phone the first four stand at the bottom, the others behind "More". */
export const entries: readonly NavEntry[] = [
  { path: "/", text: "now", icon: House },
  { path: "/review", text: "review", icon: Inbox },
  { path: "/alerts", text: "alerts", icon: Bell, role: "resident" },
  { path: "/cameras", text: "cameras", icon: Camera },
  { path: "/day", text: "day", icon: CalendarDays },
  { path: "/people", text: "people", icon: Users, role: "resident" },
  { path: "/insights", text: "insights", icon: ChartColumn, role: "resident" },
  { path: "/search", text: "search", icon: Search },
  { path: "/rules", text: "rules", icon: ListChecks, role: "resident" },
  { path: "/silences", text: "silences", icon: BellOff, role: "resident" },
  { path: "/system", text: "system", icon: Activity, role: "resident" },
  { path: "/settings", text: "settings", icon: Settings, role: "owner" },
];

/** Number of entries at the bottom of a phone. */
export const onPhone = 4;
