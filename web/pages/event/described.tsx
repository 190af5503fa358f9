import { useState } from "react";
import { Link } from "wouter";
import { Enrichment } from "../../../src/contract/routes/detections.ts";
import { For } from "../../api/use-may.tsx";
import { Button } from "../../parts/button.tsx";
import { className } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Found, Picture } from "./pictures.ts";

/** A phone has no room for more beside the verdict; a button shows the others. */
const shownAtFirst = 2;

const Details = Enrichment.pick({ attributes: true, ocr: true, caption: true, entity_id: true }).partial();

/** What the enrichment services said about an object; undefined without anything to show. */
function detailsOf({ enrichment }: Found) {
  const { attributes = {}, ocr = [], caption = null, entity_id = null } = Details.safeParse(enrichment).data ?? {};
  const { seen_before, ...others } = attributes;
  const isEmpty = Object.keys(others).length === 0 && ocr.length === 0 && caption === null && entity_id === null;
  return isEmpty
    ? undefined
    : { attributes: others, texts: ocr.map(({ text }) => text), caption, entityId: entity_id, seenBefore: seen_before === true };
}

/** What is known about the objects in a picture: colours, text such as a number plate, a caption, and whether they were seen before. */
export function Described({ picture }: { readonly picture: Picture | undefined }) {
  const texts = useTexts();
  const format = useFormat();
  const { described } = useMoreTexts();
  const [isOpen, setOpen] = useState(false);
  const objects = (picture?.objects ?? []).flatMap((found) => {
    const details = detailsOf(found);
    return details ? [{ found, details }] : [];
  });
  if (objects.length === 0) return null;
  const hidden = isOpen ? 0 : objects.length - shownAtFirst;
  return (
    <Section title={described.title}>
      {(hidden > 0 ? objects.slice(0, shownAtFirst) : objects).map(({ found, details }) => (
        <article key={`${found.object_type} ${found.bbox_x} ${found.bbox_y} ${found.confidence}`} className="mb-3">
          <h3 className="font-medium first-letter:uppercase">
            {className(texts, found.object_type)} <span className="text-sm font-normal text-soft">{format.percent(found.confidence)}</span>
          </h3>
          {details.caption !== null && <p className="text-sm">{details.caption}</p>}
          <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 text-sm">
            {Object.entries(details.attributes).map(([name, value]) => (
              <Attribute key={name} name={described.names[name] ?? name.replaceAll("_", " ")}>
                {[value]
                  .flat()
                  .map((one) => said(one, described))
                  .join(", ")}
              </Attribute>
            ))}
            {details.texts.length > 0 && <Attribute name={described.read}>{details.texts.join(" · ")}</Attribute>}
          </dl>
          {details.entityId !== null && (
            <For who="resident">
              <p className="mt-1 text-sm">
                {details.seenBefore && `${described.seenBefore}. `}
                <Link href={`/people/${details.entityId}`} className="text-accent underline-offset-4 hover:underline">
                  {described.appearances}
                </Link>
              </p>
            </For>
          )}
        </article>
      ))}
      {hidden > 0 && <Button onClick={() => setOpen(true)}>{described.others(hidden)}</Button>}
    </Section>
  );
}

/** A value of an attribute in words. */
function said(value: unknown, { values, yes, no }: ReturnType<typeof useMoreTexts>["described"]): string {
  if (typeof value === "boolean") return value ? yes : no;
  const text = String(value);
  return Object.hasOwn(values, text) ? (values[text] ?? text) : text;
}

function Attribute({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <>
      <dt className="text-soft first-letter:uppercase">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
