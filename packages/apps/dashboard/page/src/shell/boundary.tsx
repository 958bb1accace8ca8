/** Confines an exception to one page: tabs and keys stay usable, and another location starts fresh. */
import { Component, type ComponentChildren } from "preact";

interface BoundaryProps {
  /** The reader's location. When it changes, the page is rendered again, because it may not fail elsewhere. */
  readonly at: string;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly problem: string | undefined;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { problem: undefined };

  override componentDidCatch(reason: unknown): void {
    // The browser's console gets the exception with its stack, which helps to find the cause.
    reportError(reason);
    const problem = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    this.setState({ problem });
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.at !== this.props.at) this.#again();
  }

  #again(): void {
    if (this.state.problem !== undefined) this.setState({ problem: undefined });
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <section class="card" role="alert" data-broken>
        <h1>This page has failed</h1>
        <p class="problem">{problem}</p>
        <p>
          The other pages go on. The browser's console has the place in the program; a report of it with what
          you did before helps.
        </p>
        <button type="button" onClick={() => this.#again()}>
          Try again
        </button>
      </section>
    );
  }
}
