/** The mark: a leaf on which a new line stands over an erased one. */
export function Mark() {
  return (
    <svg class="brand" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path class="leaf" d="M5 2.5h10.5L19.5 6.5V21.5H5Z" />
      <path class="leaf fold" d="M15.5 2.5V6.5H19.5" />
      <path class="erased" d="M8 10.4c1.4-1.3 2.6-1.3 4 0s2.6 1.3 4 0" />
      <path class="written" d="M8 13.2h8.4M8 17h5.2" />
    </svg>
  );
}
