import { Link } from "wouter";
import { useMay } from "../../api/use-may.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import type { FullEvent } from "../event.tsx";

interface RuleLinkProps {
  readonly event: FullEvent;
  /** Name of the new rule, such as "Person at Garden". */
  readonly name: string;
}

/** Leads to a new rule for the classes and the camera of an event, ready to be changed and saved. */
export function RuleLink({ event, name }: RuleLinkProps) {
  const { rules } = useMoreTexts();
  const mayChange = useMay("owner");
  if (!mayChange) return null;
  const { kind, camera_id, object_types } = event;
  const draft = { name, kind, camera_ids: [camera_id], ...(object_types.length > 0 && { object_types }) };
  const search = new URLSearchParams({ from: "empty", draft: JSON.stringify(draft) });
  return (
    <Link href={`/rules/new?${search}`} className="inline-flex min-h-11 items-center text-accent underline-offset-4 hover:underline">
      {rules.fromEvent}
    </Link>
  );
}
