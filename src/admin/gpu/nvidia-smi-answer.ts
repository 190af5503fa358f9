import type { GpuReading } from "./gpu.ts";
import { readXml, type XmlElement } from "./xml.ts";

/**
 * Parses the output of `nvidia-smi -q -x` into one reading per card. Values that a card does not report (`N/A`) are null. Accepts the
 * names of older drivers. Throws an `Error` if the text is incomplete.
 */
export function readNvidiaSmi(text: string): readonly GpuReading[] {
  const log = readXml(text);
  if (log.name !== "nvidia_smi_log") throw new Error(`nvidia-smi printed ${log.name} instead of nvidia_smi_log`);
  return log.children.filter(({ name }) => name === "gpu").map(readCard);
}

function readCard(card: XmlElement): GpuReading {
  const words = (...path: readonly string[]): string | null => textAt(card, path);
  const value = (...path: readonly string[]): number | null => numberOf(textAt(card, path));
  const power = (...names: readonly string[]): number | null =>
    firstOf(["gpu_power_readings", "power_readings"].flatMap((group) => names.map((name) => value(group, name))));
  return {
    gpu_name: words("product_name"),
    utilization: value("utilization", "gpu_util"),
    memory_used: value("fb_memory_usage", "used"),
    memory_total: value("fb_memory_usage", "total"),
    temperature: value("temperature", "gpu_temp"),
    power_usage: power("power_draw", "instant_power_draw", "average_power_draw"),
    fan_speed: value("fan_speed"),
    sm_clock: value("clocks", "sm_clock"),
    memory_bandwidth_utilization: value("utilization", "memory_util"),
    pstate: words("performance_state"),
    throttle_reasons: throttleReasons(card),
    power_limit: power("current_power_limit", "power_limit", "enforced_power_limit"),
    sm_clock_max: value("max_clocks", "sm_clock"),
    compute_processes_count: computeProcesses(card),
    pcie_replay_counter: value("pci", "replay_counter"),
    temp_slowdown_threshold: value("temperature", "gpu_temp_slow_threshold"),
    memory_clock: value("clocks", "mem_clock"),
    memory_clock_max: value("max_clocks", "mem_clock"),
    pcie_link_gen: value("pci", "pci_gpu_link_info", "pcie_gen", "current_link_gen"),
    pcie_link_width: value("pci", "pci_gpu_link_info", "link_widths", "current_link_width"),
    pcie_tx_throughput: value("pci", "tx_util"),
    pcie_rx_throughput: value("pci", "rx_util"),
    encoder_utilization: value("utilization", "encoder_util"),
    decoder_utilization: value("utilization", "decoder_util"),
    bar1_used: value("bar1_memory_usage", "used"),
  };
}

function find(element: XmlElement, path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>((at, name) => at?.children.find((child) => child.name === name), element);
}

/** Returns the text at a path; null if there is none, or if the card has no such value. */
function textAt(element: XmlElement, path: readonly string[]): string | null {
  const text = find(element, path)?.text.trim() ?? "";
  return text === "" || /^\[?(n\/a|not supported|unknown( error)?|gpu is lost|requested functionality)/i.test(text) ? null : text;
}

/** Returns the leading number of `22.78 W`, `16x`, `31 C`. */
function numberOf(text: string | null): number | null {
  const digits = /^-?\d+(\.\d+)?/.exec(text ?? "")?.[0];
  return digits === undefined ? null : Number(digits);
}

function firstOf(values: readonly (number | null)[]): number | null {
  return values.find((value) => value !== null) ?? null;
}

function throttleReasons(card: XmlElement): string[] | null {
  const reasons = find(card, ["clocks_event_reasons"]) ?? find(card, ["clocks_throttle_reasons"]);
  if (!reasons || reasons.children.length === 0) return null;
  return reasons.children
    .filter(({ text }) => text.trim() === "Active")
    .map(({ name }) => name.replace(/^clocks_(event|throttle)_reason_/, ""));
}

/** Counts the processes of type `C` and `C+G`. */
function computeProcesses(card: XmlElement): number | null {
  const processes = find(card, ["processes"]);
  if (!processes || (processes.children.length === 0 && processes.text.trim() !== "")) return null;
  return processes.children.filter((process) => textAt(process, ["type"])?.includes("C")).length;
}
