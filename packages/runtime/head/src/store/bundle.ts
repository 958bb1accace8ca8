export interface Bundle {
  readonly sha256: string;
  readonly sizeBytes: number;
}
