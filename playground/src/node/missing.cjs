// Stands for what no browser has of Node.js (files, processes, sockets): loading it does nothing, using it is an error.
const missing = (name) => {
  const refuse = () => {
    throw new Error(`${name} of Node.js is not there in a browser`);
  };
  // A class, because some packages extend what they load.
  return new Proxy(class {}, {
    get: (target, key) =>
      key in target || typeof key === "symbol" ? target[key] : missing(`${name}.${key}`),
    apply: refuse,
  });
};
/** @param {object} present what is there */
module.exports = (present) =>
  Object.assign(
    Object.create(new Proxy({}, { get: (_, key) => (typeof key === "symbol" ? undefined : missing(key)) })),
    present,
  );
