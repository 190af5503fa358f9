import type { Alert } from "../records.ts";

/** What a key asks for that is not on this screen. */
export type Effect =
  | { readonly kind: "quit" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "redraw" }
  | { readonly kind: "settle"; readonly operation: "acknowledgeAlert" | "dismissAlert"; readonly alerts: readonly Alert[] }
  | { readonly kind: "review"; readonly eventId: number; readonly reviewed: boolean }
  | { readonly kind: "silence"; readonly cameraId: string; readonly seconds: number; readonly reason: string };
