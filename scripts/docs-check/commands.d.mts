export declare function markdownBelow(root: string, folder: string): string[];
export declare function documentedCommands(
  root: string,
  files: readonly string[],
): { readonly file: string; readonly line: string; readonly exported: readonly string[] }[];
