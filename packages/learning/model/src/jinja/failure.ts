/** An error of a template while it renders: what Python or the template's own `raise_exception` says. */
export class TemplateFailure extends Error {}

/** An error in the text of a template. */
export class TemplateSyntaxFailure extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}
