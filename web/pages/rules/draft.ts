import { useCallback, useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { z } from "zod";
import { NewRule, type Rule } from "../../../src/contract/routes/rules.ts";

/** A rule as the API returns it. */
export type RuleRecord = z.output<typeof Rule>;

/** The fields of a rule as the form holds them. */
export type Draft = Omit<RuleRecord, "id" | "version" | "created_at" | "updated_at">;

/** When a rule is active. */
export type ScheduleValue = NonNullable<Draft["schedule"]>;

/** The key of the cooldown in a new rule. */
export const usualKey = "{camera_id}:{rule_id}";

/** A rule with the values that homesec gives to omitted fields. */
export const emptyDraft: Draft = {
  name: "",
  enabled: true,
  kind: "event",
  severity: "medium",
  risk_threshold: null,
  object_types: null,
  camera_ids: null,
  zones: null,
  not_zones: null,
  min_size: null,
  min_confidence: null,
  schedule: null,
  modes: null,
  dedup_key_template: usualKey,
  cooldown_seconds: 300,
  channels: null,
  escalate: false,
  digest: false,
  immediate: false,
};

/** Returns the fields of a stored rule that a person may change. */
export function draftOf({ id: _id, version: _version, created_at: _created, updated_at: _updated, ...draft }: RuleRecord): Draft {
  return draft;
}

const Changes = NewRule.partial();

/** Reads the changes that stand in the address. Text that is no such changes counts as none. */
function changesIn(text: string | null): Partial<Draft> {
  if (text === null) return {};
  try {
    const decoded = z.safeDecode(Changes, JSON.parse(text) as z.input<typeof Changes>);
    return decoded.success ? (decoded.data as Partial<Draft>) : {};
  } catch {
    return {};
  }
}

/** Writes what a draft changes; null if nothing. */
function changesText(base: Draft, draft: Draft): string | null {
  const changed = Object.entries(draft).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(base[field as keyof Draft]));
  return changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed));
}

/** Returns a value once it has not changed for a while. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** How long a form must rest before its address changes and the rule is tried again. */
export const restMs = 500;

/** Holds a draft. What differs from `base` stands in the address, so that it survives a reload and the way back from an event. */
export function useDraft(base: Draft): readonly [Draft, (change: Partial<Draft>) => void] {
  const [search, setSearch] = useSearchParams();
  const [draft, setDraft] = useState<Draft>(() => ({ ...base, ...changesIn(search.get("draft")) }));
  const text = changesText(base, useSettled(draft, restMs));
  useEffect(() => {
    if (search.get("draft") === text) return;
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        if (text === null) next.delete("draft");
        else next.set("draft", text);
        return next;
      },
      { replace: true },
    );
  }, [text, search, setSearch]);
  const change = useCallback((changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed })), []);
  return [draft, change];
}
