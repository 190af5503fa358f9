/**
 * Returns the media type that an `Accept` header prefers, or undefined when it names none of those offered. Wildcards and types that are
 * not offered do not count as a preference; parameters other than `q` are ignored.
 */
export function preferredType(offered: readonly string[], accept: string | undefined): string | undefined {
  const wishes = (accept ?? "").split(",").map((wish) => {
    const [type = "", ...parameters] = wish.split(";").map((part) => part.trim().toLowerCase());
    const q = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    return { type, q };
  });
  const [best] = wishes
    .flatMap(({ type, q }) => offered.filter((mediaType) => bare(mediaType) === type && q > 0).map((mediaType) => ({ mediaType, q })))
    .toSorted((a, b) => b.q - a.q);
  return best?.mediaType;
}

function bare(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}
