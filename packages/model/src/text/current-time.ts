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
const two = (value: number) => String(value).padStart(2, "0");
const startOfYear = (date: Date) => new Date(date.getFullYear(), 0, 1);
const dayOfYear = (date: Date) =>
  Math.round(
    (new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() - startOfYear(date).getTime()) /
      86_400_000,
  ) + 1;

const directives: Readonly<Record<string, (date: Date) => string>> = {
  "%": () => "%",
  Y: (date) => String(date.getFullYear()),
  y: (date) => two(date.getFullYear() % 100),
  m: (date) => two(date.getMonth() + 1),
  B: (date) => months[date.getMonth()] as string,
  b: (date) => (months[date.getMonth()] as string).slice(0, 3),
  d: (date) => two(date.getDate()),
  e: (date) => String(date.getDate()).padStart(2, " "),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  A: (date) => days[date.getDay()] as string,
  a: (date) => (days[date.getDay()] as string).slice(0, 3),
  w: (date) => String(date.getDay()),
  H: (date) => two(date.getHours()),
  I: (date) => two(date.getHours() % 12 || 12),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  M: (date) => two(date.getMinutes()),
  S: (date) => two(date.getSeconds()),
  F: (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
  T: (date) => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`,
};

/**
 * Formats a time like Python's strftime in the C locale and local time, as the `strftime_now` of templates expects:
 * models are trained on English month names, whatever this machine's language is. Unknown directives stay unchanged.
 */
export function formatTime(date: Date, format: string): string {
  return format.replace(/%(.)/gsu, (whole, directive: string) => directives[directive]?.(date) ?? whole);
}
