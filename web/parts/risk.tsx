import { Circle, Diamond, Hexagon, OctagonAlert, Triangle } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";

/** The shape of each level. */
export const levelShapes = { low: Circle, medium: Diamond, high: Triangle, critical: OctagonAlert } as const;
/** The colour of each level. */
export const levelColours = { low: "text-low", medium: "text-medium", high: "text-high", critical: "text-critical" } as const;

/** A level of risk or severity. */
export type Level = keyof typeof levelShapes;

interface RiskProps {
  readonly level: Level | null;
  readonly score?: number | null;
  readonly failed?: boolean;
}

/** A level by word, shape and colour, with the score if there is one. */
export function Risk({ level, score, failed = false }: RiskProps) {
  const texts = useTexts();
  if (level === null) {
    return (
      <span className="inline-flex items-center gap-1 text-sm text-soft">
        <Hexagon aria-hidden size={14} /> {failed ? texts.event.failed : texts.event.unscored}
      </span>
    );
  }
  const Shape = levelShapes[level];
  return (
    <span className={`inline-flex items-center gap-1 text-sm font-semibold ${levelColours[level]}`}>
      <Shape aria-hidden size={14} strokeWidth={3} />
      {typeof score === "number" && <span>{score}</span>} {texts.event.risk[level]}
    </span>
  );
}
