import type { Clock } from "../../src/base/clock/clock.ts";

/** One line of the recent history that the health answer carries. */
export interface RecentEvent {
  readonly timestamp: Date;
  readonly service: string;
  readonly event_type: string;
  readonly message: string;
}

/** The last changes of health, newest first. */
export interface RecentEvents {
  add(service: string, eventType: string, message: string): void;
  /** Sets what holds until someone fixes it, or removes it if `message` is undefined. Conditions are listed before the changes. */
  setCondition(service: string, eventType: string, message: string | undefined): void;
  list(): readonly RecentEvent[];
}

/** Keeps the newest 50 in memory: they describe this run of the daemon. */
export function createRecentEvents(clock: Clock): RecentEvents {
  const kept: RecentEvent[] = [];
  const conditions = new Map<string, RecentEvent>();
  return {
    add: (service, eventType, message) => {
      kept.unshift({ timestamp: clock.now(), service, event_type: eventType, message });
      kept.length = Math.min(kept.length, 50);
    },
    setCondition: (service, eventType, message) => {
      const id = `${service} ${eventType}`;
      if (message === undefined) conditions.delete(id);
      else conditions.set(id, { timestamp: clock.now(), service, event_type: eventType, message });
    },
    list: () => [...conditions.values(), ...kept],
  };
}
