export { splitWords, stripWhiteSpace } from "@palimpsest/trajectories/text";
