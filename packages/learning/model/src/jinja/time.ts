const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const dayMs = 86_400_000;

/** Days between two dates of the calendar, whatever the clocks were changed by in between. */
const daysBetween = (from: Date, to: Date) =>
  Math.round(
    (Date.UTC(to.getFullYear(), to.getMonth(), to.getDate()) -
      Date.UTC(from.getFullYear(), from.getMonth(), from.getDate())) /
      dayMs,
  );
const dayOfYear = (date: Date) => daysBetween(new Date(date.getFullYear(), 0, 1), date) + 1;

/** The year and the number of the week by ISO 8601, in which a week belongs to the year of its Thursday. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) };
}

/** A directive's value, and the width and filling that it has without flags. */
interface Part {
  readonly value: number | string;
  readonly width?: number;
  readonly fill?: "0" | " ";
}

const number = (value: number, width = 2, fill: "0" | " " = "0"): Part => ({ value, width, fill });
const month = (date: Date) => months[date.getMonth()] ?? "";
const day = (date: Date) => days[date.getDay()] ?? "";
const hour12 = (date: Date) => date.getHours() % 12 || 12;

const directives: Readonly<Record<string, (date: Date) => Part>> = {
  "%": () => ({ value: "%" }),
  n: () => ({ value: "\n" }),
  t: () => ({ value: "\t" }),
  Y: (date) => ({ value: date.getFullYear() }),
  C: (date) => number(Math.floor(date.getFullYear() / 100)),
  y: (date) => number(date.getFullYear() % 100),
  G: (date) => ({ value: isoWeek(date).year }),
  g: (date) => number(isoWeek(date).year % 100),
  m: (date) => number(date.getMonth() + 1),
  B: (date) => ({ value: month(date) }),
  b: (date) => ({ value: month(date).slice(0, 3) }),
  h: (date) => ({ value: month(date).slice(0, 3) }),
  d: (date) => number(date.getDate()),
  e: (date) => number(date.getDate(), 2, " "),
  j: (date) => number(dayOfYear(date), 3),
  U: (date) => number(Math.floor((dayOfYear(date) + 6 - date.getDay()) / 7)),
  W: (date) => number(Math.floor((dayOfYear(date) + 6 - ((date.getDay() + 6) % 7)) / 7)),
  V: (date) => number(isoWeek(date).week),
  A: (date) => ({ value: day(date) }),
  a: (date) => ({ value: day(date).slice(0, 3) }),
  w: (date) => ({ value: date.getDay() }),
  u: (date) => ({ value: date.getDay() || 7 }),
  H: (date) => number(date.getHours()),
  k: (date) => number(date.getHours(), 2, " "),
  I: (date) => number(hour12(date)),
  l: (date) => number(hour12(date), 2, " "),
  p: (date) => ({ value: date.getHours() < 12 ? "AM" : "PM" }),
  P: (date) => ({ value: date.getHours() < 12 ? "am" : "pm" }),
  M: (date) => number(date.getMinutes()),
  S: (date) => number(date.getSeconds()),
  f: (date) => number(date.getMilliseconds() * 1000, 6),
  s: (date) => ({ value: Math.floor(date.getTime() / 1000) }),
  // The time of a template has no zone, as that of `datetime.now()`.
  z: () => ({ value: "" }),
  Z: () => ({ value: "" }),
};

/** Directives that stand for several others, in the C locale. */
const composed: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  x: "%m/%d/%y",
};

/**
 * Formats a time like Python's strftime on Linux in the C locale and local time, as the `strftime_now` of templates
 * expects: models are trained on English month names, whatever this machine's language is. The flags `-`, `_`, `0`, `^`
 * and `#` and widths are those of the C library; unknown directives stay unchanged.
 */
export function formatTime(date: Date, format: string): string {
  return format.replace(/%([-_0^#]*)(\d*)([EO]?)(.)/gsu, (whole, flags, width, _form, directive) => {
    const several = Object.hasOwn(composed, directive) ? composed[directive] : undefined;
    if (several !== undefined) return filled(formatTime(date, several), flags, width, " ");
    const part = Object.hasOwn(directives, directive) ? directives[directive]?.(date) : undefined;
    if (part === undefined) return whole;
    const { value, fill = typeof value === "number" ? "0" : " " } = part;
    const least = flags.includes("-") ? 0 : (part.width ?? 0);
    const chosen = flags.includes("_") ? " " : flags.includes("0") ? "0" : fill;
    return filled(String(value).padStart(width === "" ? least : 0, chosen), flags, width, chosen);
  });
}

function filled(text: string, flags: string, width: string, fill: string): string {
  const cased = flags.includes("^") ? text.toUpperCase() : flags.includes("#") ? swapped(text) : text;
  return flags.includes("-") ? cased : cased.padStart(Math.min(Number(width), 1000), fill);
}

/** The flag `#` writes names in capitals, and AM and PM small. */
const swapped = (text: string) => (/^[AP]M$/.test(text) ? text.toLowerCase() : text.toUpperCase());
