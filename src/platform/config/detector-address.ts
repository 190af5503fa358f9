/** The API of a detector: that of docs/services.md, or that of DeepStack, which CodeProject.AI and Blue Onyx speak too. */
export type DetectorApi = "homesec" | "deepstack";

export interface DetectorAddress {
  readonly api: DetectorApi;
  /** The address for HTTP. */
  readonly url: string;
}

/** Marks the address of a detector with the API of DeepStack: `deepstack+http://host:32168`. */
export const deepStackPrefix = "deepstack+";

/** Splits the address of a service, as configured or as health shows it, into its API and its address for HTTP. */
export function detectorAddress(url: string): DetectorAddress {
  return url.slice(0, deepStackPrefix.length).toLowerCase() === deepStackPrefix
    ? { api: "deepstack", url: url.slice(deepStackPrefix.length) }
    : { api: "homesec", url };
}

/** The origin of a detector (`http://host:32168`), under which its answers are stored. Throws a `TypeError` if `url` is no address. */
export function detectorOrigin(url: string): string {
  return new URL(detectorAddress(url).url).origin;
}

/** The built-in detector in a list of addresses. */
export const builtInDetector = "built-in";
/** More detectors than a home has. */
export const mostDetectors = 8;

/** Splits the addresses of `DETECTOR_URL`, which stand in the order of preference. Empty if the built-in detector is not replaced. */
export function detectorList(configured: string | null | undefined): readonly string[] {
  return (configured ?? "")
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "");
}

/** Whether the built-in detector is used, alone or beside others. */
export function usesBuiltInDetector(configured: string | null | undefined): boolean {
  const list = detectorList(configured);
  return list.length === 0 || list.includes(builtInDetector);
}
