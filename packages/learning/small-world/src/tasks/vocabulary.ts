const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * The names in the generated documents. All words of this file are short, lower-case and different from each other, so
 * that in a byte-pair vocabulary of a few hundred entries each word with its leading space is one token.
 */
export const defaultNames = words(`
  anna ben cora dan eva finn gus hugo ida jack kim leo mia nina otto paul
  rosa sam tom una vera will yara zoe amir beth carl dora emil fay gina hans
  igor jane kurt lena max nora omar pia ralf sue tina udo vito wanda yuri zara`);

export const defaultValues = words(`
  tea milk rice figs jazz chess bread soup corn plums beans salt honey wine fish nuts
  dates limes pears cake silk wool gold clay glass paper drums harps kites boats maps books
  lamps roses ferns goats owls bees cats swans olives mint cocoa ginger pepper cotton amber pearls`);

export const defaultPlaces = words(`
  peru chad cuba oman iran mali fiji laos togo guam rome oslo lima bern cairo
  delhi paris tokyo kyiv riga malta crete java bali kenya ghana spain chile nepal qatar`);

/** Sentences that state nothing; each has as many tokens as a fact. */
export const defaultFillers: readonly string[] = [
  " rain and wind.",
  " snow and fog.",
  " day and night.",
  " sun and moon.",
  " hills and sea.",
  " dust and sand.",
];
