const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const pattern = /^(?:(\d{1,2}):(\d{2}) (am|pm) on )?(\d{1,2}) ([a-z]+), (\d{4})$/;

/**
 * Converts a date in LoCoMo's format to ISO 8601 without a zone: "1:56 pm on 8 May, 2023" to "2023-05-08T13:56", "8
 * May, 2023" to "2023-05-08".
 * @returns the date, or null if the text is not a date
 */
export function isoDate(text: string): string | null {
  const match = pattern.exec(text.trim().toLowerCase());
  if (match === null) return null;
  const [, hourText, minute, half, day = "", monthName = "", year = ""] = match;
  const month = months.indexOf(monthName) + 1;
  const days = new Date(Date.UTC(Number(year), month, 0)).getUTCDate();
  if (month === 0 || Number(day) < 1 || Number(day) > days) return null;
  const date = `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (hourText === undefined || minute === undefined) return date;
  const hour = Number(hourText);
  if (hour < 1 || hour > 12 || Number(minute) > 59) return null;
  const ofDay = (hour % 12) + (half === "pm" ? 12 : 0);
  return `${date}T${String(ofDay).padStart(2, "0")}:${minute}`;
}
