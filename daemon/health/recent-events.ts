import type { Clock } from "../../src/base/clock/clock.ts";

/** One entry of the recent history in the health response. */
export interface RecentEvent {
  readonly timestamp: Date;
  readonly service: string;
  readonly event_type: string;
  readonly message: string;
}

/** The latest health changes, newest first. */
export interface RecentEvents {
  add(service: string, eventType: string, message: string): void;
  /** Sets a condition that holds until someone fixes it, or removes it if `message` is undefined. Conditions come before changes. */
  setCondition(service: string, eventType: string, message: string | undefined): void;
  list(): readonly RecentEvent[];
}

/** Keeps the newest 50 in memory. They describe this run of the daemon. */
export function createRecentEvents(clock: Clock): RecentEvents {
  const events: RecentEvent[] = [];
  const conditions = new Map<string, RecentEvent>();
  return {
    add: (service, eventType, message) => {
      events.unshift({ timestamp: clock.now(), service, event_type: eventType, message });
      events.length = Math.min(events.length, 50);
    },
    setCondition: (service, eventType, message) => {
      const id = `${service} ${eventType}`;
      if (message === undefined) conditions.delete(id);
      else conditions.set(id, { timestamp: clock.now(), service, event_type: eventType, message });
    },
    list: () => [...conditions.values(), ...events],
  };
}
