import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { objectTypes, riskLevels } from "../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { useReply } from "../../api/use-reply.ts";
import type { EventRecord } from "../../parts/event-row.tsx";
import { className, everyCamera } from "../../parts/names.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** What the list shows. It stands in the address, so that it can be sent and comes back with "back". */
export interface Filter {
  readonly onlyUnreviewed: boolean;
  readonly query: {
    readonly reviewed?: boolean;
    readonly pinned?: boolean;
    readonly kind?: "all";
    readonly camera_id?: string[];
    readonly risk_level?: (typeof riskLevels)[number][];
    readonly object_type?: string[];
  };
  readonly accepts: (event: EventRecord) => boolean;
  readonly value: (name: FilterName) => string;
  readonly set: (name: FilterName, value: string) => void;
}

type FilterName = "show" | "camera" | "level" | "class";

/** Reads the filter from the address. */
export function useFilter(): Filter {
  const [search, setSearch] = useSearchParams();
  const [show, camera, level, label] = ["show", "camera", "level", "class"].map((name) => search.get(name) ?? "") as [
    string,
    string,
    string,
    string,
  ];
  return useMemo(() => {
    const onlyPinned = show === "pinned";
    const onlyUnreviewed = show !== "all" && !onlyPinned;
    const risk = riskLevels.find((each) => each === level);
    return {
      onlyUnreviewed,
      query: {
        ...(onlyUnreviewed && { reviewed: false }),
        // incidents of cameras can be pinned too
        ...(onlyPinned && { pinned: true, kind: "all" as const }),
        ...(camera !== "" && { camera_id: [camera] }),
        ...(risk && { risk_level: [risk] }),
        ...(label !== "" && { object_type: [label] }),
      },
      accepts: (event) =>
        (onlyPinned ? event.pinned === true : event.kind === "event") &&
        (camera === "" || event.camera_id === camera) &&
        (!risk || event.risk_level === risk) &&
        (label === "" || event.object_types.includes(label)),
      value: (name) => ({ show, camera, level, class: label })[name],
      set: (name, value) =>
        setSearch((before) => {
          const after = new URLSearchParams(before);
          if (value === "") after.delete(name);
          else after.set(name, value);
          return after;
        }),
    };
  }, [show, camera, level, label, setSearch]);
}

/** The choices above the list. */
export function Filters({ filter }: { readonly filter: Filter }) {
  const texts = useTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const cameras = data?.cameras.map(({ camera_id, name }) => [camera_id, name] as const) ?? [];
  return (
    <div className="flex flex-wrap gap-2">
      <Choice
        filter={filter}
        name="show"
        label={texts.review.show}
        first={texts.review.unreviewed}
        options={[
          ["all", texts.review.everything],
          ["pinned", texts.event.pinned],
        ]}
      />
      <Choice filter={filter} name="camera" label={texts.review.camera} first={texts.common.allCameras} options={cameras} />
      <Choice
        filter={filter}
        name="level"
        label={texts.review.level}
        first={`${texts.review.level}: ${texts.common.all}`}
        options={riskLevels.map((level) => [level, texts.event.risk[level]])}
      />
      <Choice
        filter={filter}
        name="class"
        label={texts.review.kind}
        first={`${texts.review.kind}: ${texts.common.all}`}
        options={objectTypes.map((label) => [label, className(texts, label)])}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly filter: Filter;
  readonly name: FilterName;
  readonly label: string;
  readonly first: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

function Choice({ filter, name, label, first, options }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={filter.value(name)}
      onChange={({ target }) => filter.set(name, target.value)}
      className="min-h-10 max-w-40 rounded-lg border border-line bg-card px-2 text-sm"
    >
      <option value="">{first}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
